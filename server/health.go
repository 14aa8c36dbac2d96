package server

func (s *Server) healthRoutes() {}
